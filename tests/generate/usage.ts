// Compiled, not run: each line holds because the generated types say so.

import { LibraryClient, type Book, type Loan } from './library.js';
import { StoriesClient, type CreateStoryError, type Page, type Story, type StoryIndex } from './stories.js';

export async function readsAndWrites(): Promise<string> {
  const stories = new StoriesClient({ baseUrl: 'http://127.0.0.1:8080', token: async () => 'token' });
  const made: Story = await stories.createStory({ title: 'One' });
  const page: Page<StoryIndex> = await stories.stories({ limit: 5 });
  const count: number = made.nodeCount;
  const maybe: string | undefined = made.startNodeId;
  // @ts-expect-error a title is required
  stories.createStory({});
  // @ts-expect-error titles are text
  stories.createStory({ title: 7 });
  // @ts-expect-error there is no such field
  stories.createStory({ title: 'x', colour: 'red' });
  // @ts-expect-error keys are nobody's business
  made.PK;
  return `${made.id} ${page.items.length} ${count} ${maybe ?? ''}`;
}

export async function namedErrors(): Promise<string> {
  const stories = new StoriesClient({ baseUrl: 'http://127.0.0.1:8080' });
  const outcome = await stories.restoreStory({ id: 'x' }).result();
  if (outcome.ok) return outcome.value.changed ? 'restored' : 'nothing to do';
  switch (outcome.error.code) {
    case 'NotDeleted':
    case 'Purging':
      return outcome.error.code;
    // @ts-expect-error this call has no such error
    case 'StoryDeleted':
      return 'never';
    default:
      return outcome.error.message;
  }
}
export const known: CreateStoryError = 'ValidationFailed';

export async function unions(): Promise<number> {
  const stories = new StoriesClient({ baseUrl: 'http://127.0.0.1:8080' });
  let orders = 0;
  for (const item of (await stories.storyWithNodes({ id: 'x' })).items) {
    // The discriminator narrows the type.
    if (item.ItemType === 'Node') orders += item.nodeOrder;
    else orders += item.nodeCount;
  }
  return orders;
}

export async function everyLoan(library: LibraryClient): Promise<Loan[]> {
  const loans: Loan[] = [];
  for await (const loan of library.iterateMyLoans()) loans.push(loan);
  const book: Book = await library.book({ bookId: 'x' });
  void book.free;
  return loans;
}
