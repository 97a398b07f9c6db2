package main

import "math/rand"

func podVectors(r *rand.Rand) []section   { return nil }
func quotaVectors(r *rand.Rand) []section { return nil }
func objectMetaVectors() []section        { return nil }
