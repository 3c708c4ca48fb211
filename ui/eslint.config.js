// What the type checker does not see: promises nobody waits for, markup that is put into a
// page unescaped, styles in attributes, which the Content-Security-Policy forbids.
import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import typescript from 'typescript-eslint'

export default typescript.config(
  { ignores: ['node_modules/', 'generated/'] },
  js.configs.recommended,
  ...typescript.configs.strict,
  ...svelte.configs.recommended,
  {
    // TypeScript itself knows which names there are.
    rules: { 'no-undef': 'off' },
  },
  {
    files: ['src/**/*.ts', 'src/**/*.svelte'],
    languageOptions: {
      parserOptions: { project: './tsconfig.json', extraFileExtensions: ['.svelte'], parser: typescript.parser },
    },
    rules: { '@typescript-eslint/no-floating-promises': 'error' },
  },
  {
    files: ['src/**/*.svelte'],
    rules: {
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': 'error',
      // Addresses are made by route.ts; the rule is for another router.
      'svelte/no-navigation-without-resolve': 'off',
    },
  },
)
