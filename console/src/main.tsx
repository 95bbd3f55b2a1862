import { createRoot } from 'react-dom/client';
import { App } from './app';
import { applyTheme } from './lib/theme';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/controls.css';
import './styles/data.css';
import './styles/forms.css';
import './styles/items.css';

applyTheme();
createRoot(document.getElementById('app')!).render(<App />);
