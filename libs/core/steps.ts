/**
 * Named boundaries inside a stage (before and after fence, append, intent, insert, checkpoint …).
 * Production passes `noSteps`. A test passes a scheduler that may suspend or kill the stage at any of them,
 * so that crash windows are reached in every run and not by luck.
 */
export type Steps = (name: string) => Promise<void>;

export const noSteps: Steps = () => Promise.resolve();
