import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * Which addresses of the internet a URL that a stranger wrote may lead to. Invariant: an address is public only when it is plain
 * unicast space that anybody may reach; whatever embeds another address or belongs to one machine, network or protocol is not.
 */
const FORBIDDEN_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // A cloud's own services at an address that looks public.
  ['168.63.129.16', 32],
];

/** Global unicast space, and what inside it is not: protocols, documentation, and addresses with one of IPv4 inside. */
const UNICAST_V6 = ['2000::', 3] as const;
const FORBIDDEN_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const forbiddenV4 = blockList('ipv4', FORBIDDEN_V4);
const unicastV6 = blockList('ipv6', [UNICAST_V6]);
const forbiddenV6 = blockList('ipv6', FORBIDDEN_V6);

/** Of an address as the resolver or a socket names it. What is no address is not public. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !forbiddenV4.check(address, 'ipv4');
  if (!isIPv6(address) || address.includes('%')) return false;
  return unicastV6.check(address, 'ipv6') && !forbiddenV6.check(address, 'ipv6');
}

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of ranges) list.addSubnet(net, prefix, family);
  return list;
}
