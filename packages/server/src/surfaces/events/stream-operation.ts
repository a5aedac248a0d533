/** The operation that every stream of events opens, over REST and MCP: its access, scope and limit hold for both. */
import { type NamedOperation, operationList } from '@market/contract';

export const streamOperation: NamedOperation = find();

function find(): NamedOperation {
  const found = operationList.find(({ name }) => name === 'events.stream');
  if (found === undefined) throw new Error('the contract has no events.stream');
  return found;
}
