"""Tests that at beta = 1 an FA-RNN equals its rules, for any pretrained vectors."""


def test_the_torch_network_of_rules_is_the_rules_on_all_sentences(shows_what_is_expected):
    shows_what_is_expected()


def test_the_torch_network_of_a_rule_file_is_the_rules_on_all_sentences(shows_what_is_expected):
    shows_what_is_expected()
