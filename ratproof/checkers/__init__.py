"""The programs that check certificates, each alone and with the standard library only; and which program
checks which certificate.
"""
