"""Networks with a memory that accept or reject strings (section 4.2, Wang & Niepert 2019): balanced
parentheses and palindromes.
"""
