type Text = string | null | undefined;

/** What went wrong, read out at once; nothing where nothing did. */
export function Trouble({ text }: { text: Text }) {
  return text === null || text === undefined ? null : (
    <p class="trouble" role="alert">
      {text}
    </p>
  );
}

/** What is wrong with the text of a field; the field refers to it by its id. */
export function FieldTrouble({ field, text }: { field: string; text: Text }) {
  return text === null || text === undefined ? null : (
    <p id={`${field}-trouble`} class="trouble">
      {text}
    </p>
  );
}
