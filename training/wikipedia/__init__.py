"""The language of Wikipedia's articles (Wang & Niepert 2019, appendix C.2)."""
