/**
 * A picture for every token: its own, or the pattern that the service draws for it; two letters on a colour that follows from its
 * address are there until it is loaded, and where it cannot be.
 */
export function TokenMark({
  chain,
  symbol,
  address,
  large = false,
}: {
  chain: string;
  symbol: string | null;
  address: string;
  large?: boolean;
}) {
  const letters = (symbol ?? '?').replace(/[^\p{L}\p{N}]/gu, '').slice(0, 2) || '?';
  const source = `/media/tokens/${chain}/${address}`;
  return (
    <span class={`mark hue-${hueOf(address)}${large ? ' mark-large' : ''}`} aria-hidden="true">
      {letters}
      <img
        key={source}
        src={source}
        alt=""
        loading="lazy"
        decoding="async"
        onLoad={(event) => {
          event.currentTarget.dataset.loaded = '';
        }}
        onError={(event) => {
          event.currentTarget.hidden = true;
        }}
      />
    </span>
  );
}

/** One of the twelve hues that the stylesheet knows. */
function hueOf(address: string): number {
  let sum = 7;
  for (const letter of address.toLowerCase()) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return sum % 12;
}
