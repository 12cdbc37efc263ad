"""Networks with a memory that accept or reject strings (section 4.2, Wang & Niepert 2019).

The languages are balanced parentheses and palindromes.
"""
