import type { TapeFilter } from '../shown/tape-filter.js';
import { changeToken } from '../state/route.js';
import { Choices } from '../ui/choices.js';

const sides = [null, 'buy', 'sell'] as const;

const USUAL_SIZES = [100, 1_000, 10_000, 100_000];

/** Which trades the tape shows; the address says so too. */
export function TapeFilters({ filter: { side, minUsd } }: { filter: TapeFilter }) {
  // The address may have named another one.
  const sizes = [...new Set([...USUAL_SIZES, ...(minUsd === null ? [] : [minUsd])])].sort((a, b) => a - b);
  return (
    <div class="tape-filters">
      <Choices
        label="Side of the trades"
        values={sides}
        chosen={side}
        text={(name) => (name === null ? 'All' : name === 'buy' ? 'Buys' : 'Sells')}
        onChoose={(name) => changeToken({ side: name })}
      />
      <label>
        worth{' '}
        <select
          value={minUsd === null ? '' : String(minUsd)}
          onChange={({ currentTarget: { value } }) => changeToken({ minUsd: value === '' ? null : Number(value) })}
        >
          <option value="">anything</option>
          {sizes.map((size) => (
            <option key={size} value={String(size)}>
              ${size.toLocaleString('en-US')} and more
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
