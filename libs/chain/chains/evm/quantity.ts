/** A number as JSON-RPC of EVM chains writes it: `0x` and hex digits without leading zeros. */
export const quantity = (value: bigint | number): string => `0x${value.toString(16)}`;
