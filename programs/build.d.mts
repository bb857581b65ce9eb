export const COMPILER: string;
export const PROGRAMS: readonly string[];
export function compilerMissing(): string | null;
export function compile(program: string): Buffer;
export function executablePath(program: string): string;
