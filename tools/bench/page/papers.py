"""What the five papers measured, on the cards they name. Figures that they print only as curves are not here."""

# Polok, Ila, Smrz: Fast Radix Sort for Sparse Linear Algebra on GPU (HPC 2014), table 2: MKeys/s, 32-bit keys, 32-bit values.
RADIX_CARDS = ["GTX 680", "GTX 780"]
RADIX_TABLE_2 = {  # library: keys on both cards, pairs on both
    "CUDPP 2.1": ((689.752, 804.798), (538.849, 590.816)),
    "Thrust 1.6": ((696.706, 792.496), (540.675, 621.417)),
    "CLOGS 1.2": ((451.049, 503.756), (276.837, 366.238)),
    "CLpp v1 beta 3": ((134.716, 154.076), (94.245, 122.487)),
    "libCL 1.2.1": (None, (85.106, 98.655)),
    "the paper's": ((805.605, 1119.422), (641.969, 892.055)),
}

# Awan, Saeed: GPU-ArraySort (ICPPW 2016), table 1: the most arrays that a Tesla K40c of 12 GB takes.
ARRAY_TABLE_1 = {1000: (2_000_000, 700_000), 2000: (1_050_000, 350_000), 3000: (700_000, 200_000), 4000: (500_000, 150_000)}

# Hou, Liu, Wang, Feng: Fast Segmented Sort on GPUs (ICS 2017), section 4.2: how many times as fast as others it is at most.
SEGMENT_POWER_LAW = {"CUB": (63.3, 86.1), "CUSP": (12.5, 16.5), "ModernGPU": (3.0, 3.8)}  # Tesla K80, Titan X (Pascal)
# And on average, of segments of one length, below and above 256 (K80) or 512 (Titan X) items.
SEGMENT_UNIFORM = {"CUDA sort and merge": ((13.4, 5.6), (15.5, 10.0)), "ModernGPU": ((3.1, 1.2), (3.2, 2.1))}
