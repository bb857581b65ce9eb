/** A column by its name, with the class of its cells where they have one. */
type Column = string | readonly [name: string, cells: string];

/** The names of a table's columns. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const [name, cells] = typeof column === 'string' ? [column] : column;
          return (
            <th key={name} scope="col" class={cells}>
              {name}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
