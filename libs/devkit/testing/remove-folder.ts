import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** A process that ends may write a last file while its folder goes: then it is tried again. */
const WITH_ALL_IN_IT = { recursive: true, force: true, maxRetries: 20 } as const;

/** Takes a folder of a spec away, if it is there. */
export const removeFolder = (folder: string): Promise<void> => rm(folder, WITH_ALL_IN_IT);

export const removeFolderSync = (folder: string): void => rmSync(folder, WITH_ALL_IN_IT);
