"""What one recurrent layer can recognise: architectures, languages, constructions and laws."""
