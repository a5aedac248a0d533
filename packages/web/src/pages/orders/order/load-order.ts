import type { AskName } from '../../../data/answers.ts';
import { statusOf } from '../../../data/create-queries.ts';
import type { PageContext } from '../../../page.ts';

/**
 * Loads the data of a page about an order. Ignores a refusal: the browser may have the order's token, which the server never sees; without
 * a token, the page itself asks for a sign-in.
 */
export async function loadOrder({ ask, queries, params }: PageContext<{ id: string }>, names: readonly ('orders.get' | 'disputes.get')[]) {
  await Promise.all(names.map((name) => ask(name, { id: params.id }))).catch((error: unknown) => {
    if (statusOf(error) !== 401 && statusOf(error) !== 403) throw error;
    const asked: readonly AskName[] = names;
    for (const name of asked) queries.removeQueries({ queryKey: [name] });
  });
}
