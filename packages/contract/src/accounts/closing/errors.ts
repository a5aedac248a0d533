import { defineErrors } from '../../kernel/errors.ts';

export const closingErrors = defineErrors({
  still_open: {
    kind: 'conflict',
    message: 'Something is still open. `data.open` names each thing and what to do about it. Nothing was closed.',
  },
  agent_closed: { kind: 'conflict', message: 'This agent was closed. It takes part in nothing new.' },
});
