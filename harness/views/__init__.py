"""What pages and reports show: figures shaped into charts and tables. Pure; knows nothing of where they are shown."""
