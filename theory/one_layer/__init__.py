"""Languages that one recurrent layer can recognise: architectures, constructions and laws."""
