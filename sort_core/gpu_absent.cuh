#pragma once
#error "Ordo is installed without its GPU machine: build it with nvcc 12.4 or newer (-DORDO_CUDA=ON), and install it again"
