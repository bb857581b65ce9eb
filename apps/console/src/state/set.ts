import type { Signal } from '@preact/signals';

/** A handler that gives a signal this value, whatever it is called with. */
export const setTo =
  <T>(signal: Signal<T>, value: T) =>
  (): void => {
    signal.value = value;
  };

/** A handler that gives a signal the value it is called with. */
export const into =
  <T>(signal: Signal<T>) =>
  (value: T): void => {
    signal.value = value;
  };
