# Processes on several hosts: network namespaces with a name of their own, joined by a network whose packets arrive 5 ms later.
# Memory is not shared among them, and outputs cross. ORDO_DELAYS="0 1 10 50" prints the seconds of each tool at these delays.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi
name=o$$
if ! command -v ip > /dev/null || ! ip netns add $name-1 2> /dev/null; then
  echo 'no network namespaces: that takes iproute2 and root'
  exit 77
fi
pid=$BASHPID network=
leave() {
  [[ $BASHPID == "$pid" ]] || return 0
  for ((i = 1; i <= 3; ++i)); do
    ip netns pids $name-$i 2> /dev/null | xargs -r kill -9 || true
    ip netns del $name-$i 2> /dev/null || true
  done
  ip link del $name 2> /dev/null || true
  [[ -z $network ]] || kill $network 2> /dev/null || true
}
trap leave EXIT
ip netns del $name-1

# join HOSTS MILLISECONDS: makes the hosts, and their network with that delay; without TUN devices, one without delay.
join() {
  local i hosts=()
  leave
  network= list=
  for ((i = 1; i <= $1; ++i)); do
    ip netns add $name-$i
    ip -n $name-$i link set lo up
    hosts+=($name-$i)
    list+=${list:+,}10.200.177.$i:2
  done
  mkfifo joined
  python3 "$ORDO_SOURCE/tests/distributed/network_delay.py" "$2" "${hosts[@]}" > joined 2> network.err &
  network=$!
  disown
  if grep -q joined < joined; then rm joined; return; fi
  rm joined
  echo "no delay between hosts: $(tail -n 1 network.err)"
  network=
  ip link add $name type bridge
  ip link set $name up
  for ((i = 1; i <= $1; ++i)); do
    ip link add $name$i type veth peer name eth0 netns $name-$i
    ip link set $name$i master $name up
    ip -n $name-$i address add 10.200.177.$i/24 dev eth0
    ip -n $name-$i link set eth0 up
  done
}

# What Open MPI calls in place of ssh.
cat > agent << END
#!/usr/bin/env bash
host=\$1
shift
exec ip netns exec $name-\${host##*.} unshare --uts bash -c "hostname host\${host##*.}; \$*"
END
chmod +x agent
hosts_run() {
  ip netns exec $name-1 unshare --uts bash -c 'hostname host1; exec "$@"' _ mpirun --allow-run-as-root \
    --mca plm_rsh_agent "$PWD/agent" --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 --mca btl tcp,self,vader \
    --host "$list" "$@"
}

# dies_on HOST: a process that dies there ends all, and leaves no output.
dies_on() {
  local job victim i begin
  rm -f out
  hosts_run strsort large large -o out 2> err &
  job=$!
  for ((i = 0; i < 200; ++i)); do
    victim=$(ip netns pids $name-$1 | while read -r p; do [[ $(cat /proc/"$p"/comm 2> /dev/null) != strsort ]] || echo "$p"; done | sed -n 1p)
    [[ -z $victim ]] || break
    sleep 0.1
  done
  sleep 0.3
  begin=$SECONDS
  kill -9 "$victim"
  ! job_succeeded $job || { echo 'a member died, and the job succeeded'; exit 1; }
  ((SECONDS - begin <= 10)) || { echo 'the others went on'; exit 1; }
  [[ ! -e out ]]
  if find . -name '.*ordo*' | grep .; then echo 'a temporary file is left'; exit 1; fi
}

ordo_generate strings --set=url --scale=0.1 -q -o urls
ordo_generate genome --length=1m -q -o genome.fa
ordo_generate spectra --count=2000 --order=random -q -o spectra.mgf
strsort -u urls > one
sufsort build -q genome.fa -o one --lcp --bwt
specsort spectra.mgf -o sorted.mgf
specsort spectra.mgf --spectra-by=pepmass -o one.mgf
for _ in {1..20}; do cat urls; done > large

if [[ ${ORDO_DELAYS-} ]]; then
  timed() {
    local begin=$EPOCHREALTIME
    hosts_run "$@"
    printf '\t%s' "$(python3 -c "print(round($EPOCHREALTIME - $begin, 2))")"
  }
  printf 'ms\tstart\tstrsort\tsufsort\tspecsort\tby pepmass\tkilled\n'
  for delay in $ORDO_DELAYS; do
    join 2 "$delay"
    printf '%s' "$delay"
    timed strsort --version > out; tail -n 1 out | sed 's/.*\t/\t/' | tr -d '\n'
    timed strsort -u urls -o several; cmp one several
    timed sufsort build -q genome.fa -o several --lcp --bwt
    for array in sa lcp bwt; do cmp one.$array several.$array; done
    timed specsort spectra.mgf -o several.mgf; cmp sorted.mgf several.mgf
    timed specsort spectra.mgf --spectra-by=pepmass -o several.mgf; cmp one.mgf several.mgf
    begin=$SECONDS
    dies_on 2
    printf '\t%s\n' $((SECONDS - begin))
  done
  exit
fi

join 3 5
[[ $(hosts_run hostname | sort -u | tr '\n' ' ') == 'host1 host2 host3 ' ]] || { echo 'the namespaces are no hosts'; exit 1; }
hosts_run strsort -u urls -o several
cmp one several
hosts_run strsort -u urls | cmp one -
hosts_run sufsort build -q genome.fa -o several --lcp --bwt
for array in sa lcp bwt; do cmp one.$array several.$array; done
hosts_run specsort spectra.mgf --spectra-by=pepmass -o several.mgf
cmp one.mgf several.mgf

dies_on 3
