"""The figures of the papers, as far as they are printed as numbers."""

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
