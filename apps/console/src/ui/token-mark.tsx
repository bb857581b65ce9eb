/** A picture for every token: two letters on a colour that follows from its address. */
export function TokenMark({
  symbol,
  address,
  large = false,
}: {
  symbol: string | null;
  address: string;
  large?: boolean;
}) {
  const letters = (symbol ?? '?').replace(/[^\p{L}\p{N}]/gu, '').slice(0, 2) || '?';
  return (
    <span class={`mark hue-${hueOf(address)}${large ? ' mark-large' : ''}`} aria-hidden="true">
      {letters}
    </span>
  );
}

/** One of the twelve hues that the stylesheet knows. */
function hueOf(address: string): number {
  let sum = 7;
  for (const letter of address.toLowerCase()) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return sum % 12;
}
