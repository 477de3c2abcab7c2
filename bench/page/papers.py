"""The figures of the papers, as far as they are printed as numbers."""

PAGES = ("segmented_sort", "radix_sort", "array_sort", "sample_sort", "string_sort")  # of the five papers

# Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU (HPC 2014), table 2: MKeys/s, 32-bit keys, 32-bit values.
# M is 2^20 in that paper (section 4.1).
RADIX_CARDS = ["GTX 680", "GTX 780"]
RADIX_TABLE_2 = {  # library: keys on both cards, pairs on both
    "CUDPP 2.1": ((689.752, 804.798), (538.849, 590.816)),
    "Thrust 1.6": ((696.706, 792.496), (540.675, 621.417)),
    "CLOGS 1.2": ((451.049, 503.756), (276.837, 366.238)),
    "CLpp v1 beta 3": ((134.716, 154.076), (94.245, 122.487)),
    "libCL 1.2.1": (None, (85.106, 98.655)),
    "the paper's": ((805.605, 1119.422), (641.969, 892.055)),
}

# Awan, Saeed: GPU-ArraySort (ICPPW 2016), table 1: the maximum number of arrays on a Tesla K40c of 11,520 MB, in place and
# by STA.
ARRAY_TABLE_1 = {1000: (2_000_000, 700_000), 2000: (1_050_000, 350_000), 3000: (700_000, 200_000), 4000: (500_000, 150_000)}

# Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017), section 4.2: speedups on Tesla K80 and
# Titan X (Pascal). Averages for segments of equal length: short (below 256 on the K80, 512 on the Titan X), and longer.
SEGMENT_UNIFORM = {
    "CUSP (by segment and key)": ((13.4, 15.5), (5.6, 10.0)),
    "ModernGPU": ((3.1, 3.2), (1.2, 2.1)),
    "CUB": ((211.2, 30.4), (3.7, 3.2)),
}
# Maxima for lengths by a power law.
SEGMENT_POWER_LAW = {"CUSP (by segment and key)": (12.5, 16.5), "ModernGPU": (3.0, 3.8), "CUB": (63.3, 86.1)}

# Deshpande, Narayanan: Can GPUs sort strings efficiently? (HiPC 2013). Table I: size in MB and mean length of
# the common prefix of a string and its neighbours in order. Tables II and VIII: milliseconds with transfers, for Thrust's sort
# by a comparator and the paper's sort on a GTX 580, Burstsort and MSD radix sort on a Core 2 Duo E7500.
# Table VII: the paper's sort on a Tesla K20c. Sets have the names of ordo_generate.
STRING_TABLES = {  # set: (MB, common prefix), (Thrust, the paper's), K20c, (Burstsort, MSD radix sort)
    "artificial-2": ((98, 101), (2744, 219), None, (880, 2496)),
    "artificial-4": ((162, 13), (5813, 436), 472, (4000, 4468)),
    "artificial-5": ((50, 50), (1906, 175), None, (730, 948)),
    "dictcalls": ((2.2, 15), (113, 62), None, (50, 44)),
    "random": ((97, 2), (257, 84), None, (166, 188)),
    "words": ((118, 7), (2122, 252), None, (3700, 2968)),
    "url": ((305, 29), (8714, 936), 899, (9270, 8832)),
    "genome": ((302, 8), (14219, 720), 642, (8210, 9888)),
    "sentences": ((124, 17), (1026, 199), None, (None, 968)),
    "filelist": ((656, 59), (9234, 1409), 1121, (24920, 13220)),
}
# Table II: milliseconds of setup and transfers, rounds, sorts (t1), scans and scatters (t2), other kernels (t3).
STRING_STEPS = {
    "artificial-2": (91, 15, 35, 31, 61),
    "artificial-4": (106, 15, 197, 44, 87),
    "artificial-5": (60, 17, 69, 24, 20),
    "dictcalls": (50, 6, 7, 3, 1),
    "random": (70, 1, 6, 1, 5),
    "words": (97, 9, 97, 22, 35),
    "url": (153, 37, 416, 102, 264),
    "genome": (275, 2, 189, 92, 164),
    "sentences": (79, 11, 65, 18, 36),
    "filelist": (225, 33, 705, 164, 313),
}
# Table III: milliseconds with and without elimination of singletons, by segment numbers of fixed size. Without genome.
STRING_SINGLETONS = {
    "artificial-2": (367, 357),
    "artificial-4": (601, 2237),
    "artificial-5": (299, 317),
    "dictcalls": (28, 38),
    "random": (23, 31),
    "words": (423, 1340),
    "url": (1160, 5331),
    "sentences": (219, 408),
    "filelist": (1723, 4791),
}
# Table IV: rounds and milliseconds with segment numbers of fixed size, and of adaptive size.
STRING_ADAPTIVE = {
    "artificial-2": (26, 367, 15, 127),
    "artificial-4": (21, 601, 15, 328),
    "artificial-5": (26, 299, 17, 113),
    "dictcalls": (9, 28, 6, 11),
    "random": (2, 23, 1, 12),
    "words": (13, 423, 9, 154),
    "url": (54, 1160, 37, 782),
    "genome": (3, 1488, 2, 445),
    "sentences": (16, 219, 11, 119),
    "filelist": (46, 1723, 33, 1182),
}
STRING_EXPECTED = {  # table V: milliseconds, achieved and expected
    "artificial-2": (127, 50),
    "artificial-4": (328, 500),
    "artificial-5": (113, 57),
    "dictcalls": (11, 2),
    "random": (12, 4),
    "words": (154, 300),
    "url": (782, 1233),
    "genome": (445, 200),
    "sentences": (119, 66),
    "filelist": (1182, 1100),
}
STRING_PRIMITIVES = {  # table VI: percent of the time in Thrust's primitives
    "artificial-2": 51,
    "artificial-4": 73,
    "artificial-5": 82,
    "dictcalls": 90,
    "random": 58,
    "words": 77,
    "url": 66,
    "genome": 63,
    "sentences": 69,
    "filelist": 73,
}
STRING_TWICE_K20C = 2574  # table VII: pc-filelist x 2, milliseconds on a Tesla K20c
# Section IV-G: time after thinning or repeating letters, divided by the time of the set as it is.
STRING_TIES = {"words / 8": 0.4, "words / 4": 0.5, "words x 2": 2.4, "words x 4": 3.3}
STRING_TIES |= {"filelist / 2": 0.47, "filelist / 4": 0.23, "filelist / 8": 0.12}
