"""What the classification of long sequences has in common, of images pixel by pixel and of reviews word by
word (Wang & Niepert 2019, section 4.3).
"""
