/** The operation behind every stream of events, over REST and MCP: its access, scope and limit apply to both. */
import { type NamedOperation, operationList } from '@market/contract';

export const streamOperation: NamedOperation = find();

function find(): NamedOperation {
  const found = operationList.find(({ name }) => name === 'events.stream');
  if (found === undefined) throw new Error('the contract has no events.stream');
  return found;
}
