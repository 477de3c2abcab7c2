#!/usr/bin/env python3
"""Joins network namespaces by a network with a delay, without netem in the kernel.

    network_delay.py MILLISECONDS NAMESPACE...

makes a device eth0 in each namespace, with the address 10.200.177.k in the k-th, from 1. A packet that one of them sends reaches
its receiver that much later. Prints a line when all are there, and works until it is killed. Takes root and /dev/net/tun."""

import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 1, 0x1000, 0x40000000
MTU = 60000  # few packets, because each costs this program the same
NETWORK = bytes((10, 200, 177))


def device_in(namespace, number):
    """Makes the device of a namespace. Returns its descriptor."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/run/netns/" + namespace) as entry:
        if libc.setns(entry.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TUN | IFF_NO_PI))
    address = ".".join(map(str, NETWORK)) + f".{number}/24"
    subprocess.run(["ip", "address", "add", address, "dev", "eth0"], check=True)
    subprocess.run(["ip", "link", "set", "eth0", "mtu", str(MTU), "txqueuelen", "10000", "up"], check=True)
    return device


def packets_of(device):
    """Yields the packets that wait in a device, some at a time."""
    for _ in range(64):
        try:
            yield os.read(device, MTU + 64)
        except BlockingIOError:
            return


def main():
    delay = float(sys.argv[1]) / 1000
    devices = [device_in(name, k) for k, name in enumerate(sys.argv[2:], 1)]
    print("joined", flush=True)
    waiting = collections.deque()  # packets: the time at which each is due, its receiver's device, and its bytes
    while True:
        wait = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for device in select.select(devices, [], [], wait)[0]:
            for packet in packets_of(device):
                # The address of the receiver of IPv4. What is for nobody here, such as IPv6's search for routers, is left out.
                if packet[0] >> 4 == 4 and packet[16:19] == NETWORK and 1 <= packet[19] <= len(devices):
                    waiting.append((time.monotonic() + delay, devices[packet[19] - 1], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, device, packet = waiting.popleft()
            try:
                os.write(device, packet)
            except OSError:  # the packet is lost, and TCP sends it again
                pass


main()
