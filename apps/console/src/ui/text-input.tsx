interface InputProps {
  id: string;
  value: string;
  maxLength: number;
  placeholder?: string;
  inputMode?: 'decimal';
  class?: string;
  /** What is wrong with the text: a FieldTrouble of this id says it. */
  trouble: string | null | undefined;
  onText: (text: string) => void;
}

/** A field for one line of text that browsers neither complete nor correct. */
export function TextInput({ trouble, onText, ...rest }: InputProps) {
  const wrong = trouble !== null && trouble !== undefined;
  return (
    <input
      {...rest}
      type="text"
      autocomplete="off"
      spellcheck={false}
      aria-invalid={wrong}
      aria-describedby={wrong ? `${rest.id}-trouble` : undefined}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
