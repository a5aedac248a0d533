export { kebabCase, nearestOf } from '@market/contract';
