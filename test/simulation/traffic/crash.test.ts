import { describeCuts } from './crash-cuts.ts';
import { TRAFFIC_STORIES } from './crash-stories.ts';

describeCuts(TRAFFIC_STORIES);
