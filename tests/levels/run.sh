#!/bin/sh
# run.sh FOLDER LEVEL...: the program of these levels in that build folder, beside the plain ones; then its objects.
set -eu
cd "$1"
shift
fail() {
  echo "levels_test: $*" >&2
  exit 1
}

# Every level there is here, against the plain module compiled for it.
./levels >here
[ "$(wc -l <here)" -gt 0 ] || fail "no level runs here"
for level in $(cat here); do
  ./levels "$level" >answers
  "./plain-$level" >expected
  [ -s answers ] || fail "$level gives no answers"
  cmp answers expected || fail "$level differs from the plain module compiled for it"
  echo "$level: the plain module's answers, $(wc -c <answers) bytes"
done

[ "$(uname -m)" = x86_64 ] || exit 0  # one level, and no other that it could spoil

# A closed object gives the linker its table, and nothing that runs before main or belongs to a group.
for level in "$@"; do
  word=$(echo "$level" | tr - _)
  object=decoder_levels.loam/decoder_$word.o
  given=$(nm --defined-only "$object" | awk '$2 !~ /[a-z]/ || $2 ~ /[uvw]/ { print $3 }')
  [ "$given" = "decoder_$word" ] || fail "$object gives more than its table: $given"
  if readelf -SW "$object" | grep -E '\.init_array|\.ctors|GROUP'; then fail "$object runs before main, or has groups"; fi
  if nm -C "$object" | grep weight_data; then fail "$object carries the weights again"; fi
done
# Which says something: as compiled they give more.
open=$(find . -path '*decoder_levels_*' -name '*.cpp.o' | head -n 1)
nm --defined-only "$open" | grep -q ' W .*St' || fail "$open gives no function of the standard library, so nothing was tried"

# In the program no function that others may call has an instruction of a level above the first: AVX's and AVX-512's begin
# with v and k, and those of BMI and others have names of their own. By their addresses: a level's own copy has the same name.
objdump -d --no-show-raw-insn levels | awk '
  /^[0-9a-f]+ <.*>:$/ { function_at = $1 }
  $2 ~ /^(v|k|andn|bextr|bls|bzhi|lzcnt|movbe|mulx|pdep|pext|popcnt|rorx|sarx|shlx|shrx)/ { print function_at }' | sort -u >later
[ "$(wc -l <later)" -gt 10 ] || fail "no function has a later instruction, so nothing was tried"
nm --defined-only levels | awk '$2 ~ /[TWVui]/ { print $1, $3 }' | sort >shared
join later shared >both
[ ! -s both ] || fail "later instructions where any code may call them: $(cat both)"

# And on processors that lack a level, where there is what computes as they do.
for emulator in qemu-x86_64 qemu-x86_64-static; do
  command -v "$emulator" >/dev/null || continue
  for kind in Nehalem Haswell; do
    best=$("$emulator" -cpu "$kind" ./levels | head -n 1)
    [ "$best" = "$([ "$kind" = Haswell ] && echo x86-64-v3 || echo x86-64)" ] || fail "on $kind the highest level is '$best'"
    "$emulator" -cpu "$kind" ./levels "$best" >answers
    "./plain-$best" | cmp - answers || fail "on $kind $best answers otherwise"
    echo "$kind: $best"
  done
  break
done
