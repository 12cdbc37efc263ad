"""The programs that check certificates, and the choice of the program for a certificate.

Each program is standalone and uses only the standard library.
"""
