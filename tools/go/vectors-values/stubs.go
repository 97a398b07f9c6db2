package main

func objectMetaVectors() []section { return nil }
