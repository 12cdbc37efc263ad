"""Images classified pixel by pixel (Wang & Niepert 2019, section 4.3)."""
