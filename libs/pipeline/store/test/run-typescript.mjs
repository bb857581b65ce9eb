// Child processes of the store's tests run TypeScript sources directly: node --import <this file> <file>.ts
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
