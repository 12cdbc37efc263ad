"""Classification of long sequences: images pixel by pixel, and reviews word by word.

See Wang & Niepert 2019, section 4.3.
"""
