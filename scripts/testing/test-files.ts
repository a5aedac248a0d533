/** Every test file of the project. `npm test` runs them; the threat table reads their titles. */
export const TEST_FILES = ['packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'];
