import { useSignal } from '@preact/signals';
import { amountOf, type FilterId, filters, type ListAddress } from '../list/list-address.js';

/** Least values of the list. A field takes effect when it is left or Enter is pressed; one that cannot be read says so. */
export function ListFilters({
  least,
  onChange,
}: {
  least: ListAddress['least'];
  onChange(least: ListAddress['least']): void;
}) {
  const count = filters.filter(({ id }) => least[id] !== undefined).length;
  return (
    <details class="filters" open={count > 0}>
      <summary>Filters{count > 0 ? ` (${count})` : ''}</summary>
      <div class="filter-fields">
        {filters.map(({ id, label, unit }) => (
          <FilterField
            key={`${id} ${least[id] ?? ''}`}
            {...{ id, label, unit }}
            value={least[id]}
            onChange={(value) => {
              const { [id]: _before, ...others } = least;
              onChange(value === null ? others : { ...others, [id]: value });
            }}
          />
        ))}
        {count > 0 && (
          <button type="button" onClick={() => onChange({})}>
            Clear
          </button>
        )}
      </div>
    </details>
  );
}

interface FieldProps {
  id: FilterId;
  label: string;
  unit: string;
  value: number | undefined;
  onChange(value: number | null): void;
}

function FilterField({ id, label, unit, value, onChange }: FieldProps) {
  const wrong = useSignal(false);
  const take = (text: string): void => {
    const amount = amountOf(text);
    wrong.value = amount === null && text.trim() !== '';
    if (!wrong.value && (amount ?? undefined) !== value) onChange(amount);
  };
  return (
    <label class="filter-field">
      <span>
        {label} from{unit === '' ? '' : `, ${unit}`}
      </span>
      <input
        id={`filter-${id}`}
        type="text"
        inputMode="decimal"
        placeholder="any"
        autocomplete="off"
        defaultValue={value === undefined ? '' : String(value)}
        aria-invalid={wrong.value}
        onChange={(event) => take(event.currentTarget.value)}
      />
      {wrong.value && <small role="alert">A number such as 50000 or 50k</small>}
    </label>
  );
}
