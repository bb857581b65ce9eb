/**
 * One spend, by the clock of Redis. KEYS[1] is a hash: `d` debt in thousandths of a request and `a` its time in ms, as in
 * RateBuckets; `i<month>` and `x` what is spent of the month's credits and of grants; `c` when both were last set to what
 * the usage says. Between these times they are at least that; at them they are that, so that what a process took and did
 * not live to state is not held against the account for long. What the same request held of the rate before is given
 * back where this is refused. Answers code (0 taken, 1 rate, 2 batch, 3 credits),
 * remaining, ms to reset, ms to wait, taken of the month's, of grants, spent of the month's, of grants.
 */
export const SPEND_SCRIPT = `
local rate, requests, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local credits, allowance, granted = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local month, knownI, knownX = 'i' .. ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local held = tonumber(ARGV[10])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local was = redis.call('HMGET', KEYS[1], 'd', 'a', month, 'x', 'c')

local code, remaining, reset, wait = 0, 0, 0, 0
local limited = rate > 0 and requests + held > 0
local capacity, debt, after = rate * burst, 0, 0
if limited then
  local passed = math.max(0, now - (tonumber(was[2]) or now))
  debt = math.max(0, (tonumber(was[1]) or 0) - passed * rate)
  after = debt + requests * 1000
  if (requests + held) * 1000 > capacity then code = 2
  elseif after > capacity then
    code = 1
    wait = math.ceil((after - capacity) / rate)
  end
end

local i, x, set = tonumber(was[3]) or 0, tonumber(was[4]) or 0, tonumber(was[5])
if set == nil or now - set >= 60000 then i, x, set = knownI, knownX, now end
i, x = math.max(i, knownI), math.max(x, knownX)
local takenI, takenX = credits, 0
if allowance >= 0 then
  local ofMonth = math.max(0, allowance - i)
  local left = ofMonth + math.max(0, granted - x)
  if code == 0 and (credits > left or left == 0) then code = 3 end
  takenI = math.min(credits, ofMonth)
  takenX = credits - takenI
end

if code == 0 then
  if limited then debt = after end
  i, x = i + takenI, x + takenX
else
  takenI, takenX = 0, 0
  debt = math.max(0, debt - held * 1000)
end
if limited then
  remaining = math.max(0, math.floor((capacity - debt) / 1000))
  reset = math.ceil(debt / rate)
  redis.call('HSET', KEYS[1], 'd', debt, 'a', now)
end
if allowance >= 0 then redis.call('HSET', KEYS[1], month, i, 'x', x, 'c', set) end
redis.call('PEXPIRE', KEYS[1], 3600000)
return { code, remaining, reset, wait, takenI, takenX, i, x }
`;
