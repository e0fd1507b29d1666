// Lives here: one file per command, and this table of them.
// May import it: src/cli takes commands.ts.
// Start with: this file.

import type { Command } from '../command.ts';
import { adopt } from './adopt.ts';
import { completion } from './completion.ts';
import { doctor } from './doctor.ts';
import { orphans } from './orphans.ts';
import { plan } from './plan.ts';
import { status } from './status.ts';
import { why } from './why.ts';

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [status, why, doctor, plan, orphans, adopt, completion];
