#pragma once
#error "Ordo is installed without GPU support: build it with nvcc 12.4 or newer (-DORDO_CUDA=ON), and install it again"
