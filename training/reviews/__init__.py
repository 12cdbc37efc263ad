"""Reviews of films classified word by word (Wang & Niepert 2019, section 4.3)."""
