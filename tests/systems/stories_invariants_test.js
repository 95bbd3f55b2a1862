// What holds of the whole table of stories after everything else.

import { guardsAreOwners, countersAreEdges } from '../lib/invariants.js';
import { suite } from '../lib/runner.js';
import { fsckFindsNothing } from '../lib/system.js';
import { scan, server } from './fixture.js';

const test = suite('stories invariants');

test('ST-R3 ST-R12: nodes are counted, links are their stories, and fsck finds nothing', async () => {
  const items = await scan();
  const stories = items.filter(({ ItemType }) => ItemType === 'Story');
  const nodes = items.filter(({ ItemType }) => ItemType === 'Node');
  countersAreEdges('nodes', stories.map(({ PK, nodeCount }) => [PK, nodeCount]), nodes.map(({ PK }) => PK));
  const shares = items.filter(({ ItemType }) => ItemType === 'Share');
  guardsAreOwners(
    'links',
    shares.map(({ PK, userId, storyId }) => [PK.slice('SHARE#'.length), `USER#${userId}#STORY#${storyId}`]),
    stories.filter(({ shareToken }) => shareToken).map(({ PK, shareToken }) => [shareToken, PK]),
  );
  await fsckFindsNothing(server, 'stories');
});
