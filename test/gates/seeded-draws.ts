import fc from 'fast-check';
import { DRAW_SEED } from './draw-seed.ts';

// For each test file that draws: https://fast-check.dev/docs/configuration/global-settings/
fc.configureGlobal({ seed: Number(process.env[DRAW_SEED]) });
